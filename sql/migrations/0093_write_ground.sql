-- Every write asks what stands where it will be. As long as the planner thought of ten paths, and was asked for one, it
-- planned the question anew each time, which took longer than to answer it.
alter function write_ground(text[], text[], text[], text[], text[])
  set plan_cache_mode = force_generic_plan set enable_seqscan = off;
