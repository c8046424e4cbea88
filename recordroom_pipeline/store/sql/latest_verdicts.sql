-- latest_verdicts: the verdicts of the newest run of every version.
-- rows:    one per (spec, version_key, output, eval)
select v.*
from verdicts v
join runs r using (spec, run)
qualify row_number() over (
    partition by v.spec, v.version_key, v.output, v.eval order by r.created_at desc, r.run desc
) = 1
