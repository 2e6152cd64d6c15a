-- Which memories do these memories link to? See recall_links.
select * from recall_links(:sources, :searched, :inherited, :at::timestamptz)
