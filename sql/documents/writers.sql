-- Who wrote this document first and last, and which model if its file names none? See document_writers.
select * from document_writers(:id, :nameless, :caller, :level)
