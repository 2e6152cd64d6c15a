-- What does a result show of each item, and of the memories that :sources link to? See items_and_links.
select * from items_and_links(:kinds, :ids, :sources, :at::timestamptz, :everywhere, :searched, :inherited)
