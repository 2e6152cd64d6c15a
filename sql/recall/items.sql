-- What does a result show of each item, and how much was it used? See recall_items.
select * from recall_items(:kinds, :ids, :everywhere, :searched, :inherited)
