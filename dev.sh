export PYTHONPATH=.
python3 benchmarks/log_explore.py --json $OUT/cost.json --rounds 12 2>&1 | tee $OUT/cost.txt
