-- flips: verdicts that differ between two runs, with what experts said of the old one.
-- rows:    one per (output, eval) judged in both runs with another verdict
-- params:  $spec, $before, $after (run ids), $batches (keys in order of registration)    tables: verdicts, reviews
-- oracle:  recordroom_pipeline.runs.flips.find_flips, recordroom_pipeline.reviews.precision.mark_flip
with counted as (
    select subject, reviewed_by, agree, should_be
    from reviews
    where spec = $spec and status = 'attached' and list_contains($batches, batch)
    qualify row_number() over (
        partition by subject, reviewed_by order by "on" desc, list_position($batches, batch) desc, row desc
    ) = 1
),
opinions as (
    select
        subject,
        count(*) as n,
        count(*) filter (where agree) as n_agree,
        list(distinct should_be) filter (where not agree and should_be is not null) as wanted
    from counted
    group by subject
)
select
    b.output,
    b.eval,
    b.verdict as verdict_before,
    a.verdict as verdict_after,
    b.why as why_before,
    a.why as why_after,
    case
        when o.n is null then 'unreviewed'
        when 2 * o.n_agree > o.n then 'breaks'
        when 2 * o.n_agree = o.n then 'disputed'
        when len(coalesce(o.wanted, [])) > 0
            then case when len(o.wanted) = 1 and o.wanted[1] = a.verdict then 'fixes' else 'disputed' end
        when b.verdict in ('pass', 'fail') and a.verdict in ('pass', 'fail') then 'fixes'
        else 'disputed'
    end as mark
from verdicts b
join verdicts a on a.spec = b.spec and a.run = $after and a.output = b.output and a.eval = b.eval
left join opinions o on o.subject = b.subject
where b.spec = $spec
    and b.run = $before
    and b.verdict <> a.verdict
    and coalesce(b.na_reason, '') <> 'not_judgeable'
    and coalesce(a.na_reason, '') <> 'not_judgeable'
order by b.eval, b.output
