-- What does a result show of each item, and how much demand has the item? See recall_items.
select * from recall_items(:kinds, :ids, :everywhere, :searched, :inherited)
