-- Which document has this id, or this name in these projects, and may the caller read and change it? See find_document.
select * from find_document(:kind, :id, :name, :cut, :projects, :caller, :level)
