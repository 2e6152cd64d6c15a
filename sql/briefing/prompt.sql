-- Which memories match this prompt, and which of them was its agent not told yet? See match_prompt.
select * from match_prompt(:lexemes, :weights, :words, :without, :keep, :whose, :agent, :least, :floor, :many, :long, :usual,
  :boost, :small, :pool, :most, :fewest, :counted, :searched, :inherited)
