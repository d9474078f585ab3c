"""What a response that hit the length limit counts for.

| contract  | its tokens in loss and denominators | its reward in the group's statistics | its advantage |
|-----------|-------------------------------------|--------------------------------------|---------------|
| `keep`    | yes                                 | yes                                  | as computed   |
| `mask`    | no                                  | yes                                  | unused        |
| `drop`    | no, nor is it counted in N          | no                                   | unused        |
| `silence` | yes                                 | yes                                  | 0             |

`silence` leaves truncated tokens in the denominator: every other token's gradient shrinks.
"""

CONTRACTS = ("keep", "mask", "drop", "silence")
