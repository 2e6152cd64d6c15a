-- Who may read whom? Of two different projects their levels alone decide, so there is a row for each two of :levels.
select reader, of
from unnest(:levels::text[]) reader, unnest(:levels::text[]) of
where fence_allows('read', 'one', reader, 'other', of)
