"""What each Python process that a test starts does first, Spark's among them: see conftest.py.

Spark puts the archive of PySpark before the one that is installed. It holds no bytecode, so that
each process would compile all it imports: most of a second of CPU, hundreds of times.
"""

import os
import sys

_ARCHIVE = os.path.join("pyspark", "python", "lib", "pyspark.zip")
# Where none is installed, as in an environment for a cluster, the archive is all there is.
_archives = {os.path.join(folder, _ARCHIVE) for folder in sys.path}
sys.path[:] = [folder for folder in sys.path if folder not in _archives]
