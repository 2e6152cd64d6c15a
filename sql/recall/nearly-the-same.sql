-- Which memories of the scope say nearly the same as each of these texts? See nearly_the_same.
select * from nearly_the_same(:model::smallint, :dims, :numbers::real[], :least::float8, :signs, :depth, :most, :searched,
  :inherited)
