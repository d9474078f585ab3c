"""The course: folders of text and data become pages; whatever is not whole stops the build.

`content` reads the folders, `markup` turns their Markdown into HTML, `number` computes what the text quotes, `check`
reads the questions, `diagram` draws, `page` writes the pages.
"""

from web.builder import BuildError


class CourseError(BuildError):
    """Something in the course is missing, unknown or wrong; the message names the file and what to do."""
