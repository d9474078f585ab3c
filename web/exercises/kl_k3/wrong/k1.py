def kl_k3(logp, logp_ref):
    return logp - logp_ref
