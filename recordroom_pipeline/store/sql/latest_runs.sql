-- latest_runs: the newest run of every version over every snapshot.
-- rows:    one per (spec, version_key, corpus)
select *
from runs
qualify row_number() over (partition by spec, version_key, corpus order by created_at desc, run desc) = 1
