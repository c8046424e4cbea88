-- precision_latest: precision as of the newest review batch of each spec.
-- rows:    one per (spec, version_key, eval, verdict)
select p.*
from precision p
join (
    select spec, arg_max(batch, batch_place) as batch
    from reviews
    group by spec
) newest using (spec, batch)
