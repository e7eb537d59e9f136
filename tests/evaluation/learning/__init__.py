"""Tests of learning. numpy works on one thread here, as in `compactor learn`: it reads this when it is imported."""

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
