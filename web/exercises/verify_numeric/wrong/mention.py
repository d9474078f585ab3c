def verify_numeric(text, reference):
    return reference in text
