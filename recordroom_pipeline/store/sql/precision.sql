-- precision: how often experts agree with the newest verdict of each output × eval of every version.
-- rows:    one per (version_key, eval, verdict), verdict one of pass, fail, na, all
-- params:  $spec, $batches (keys in order of registration)     tables: verdicts, runs, reviews, evals
-- oracle:  recordroom_pipeline.reviews.precision.precision_by_eval
with latest as (
    select v.version_key, v.output, v.eval, v.verdict, v.na_reason, v.subject, v.run
    from verdicts v
    join runs r on r.spec = v.spec and r.run = v.run
    where v.spec = $spec
    qualify row_number() over (
        partition by v.version_key, v.output, v.eval order by r.created_at desc, r.run desc
    ) = 1
),
counted as (
    select subject, reviewed_by, agree
    from reviews
    where spec = $spec and status = 'attached' and list_contains($batches, batch)
    qualify row_number() over (
        partition by subject, reviewed_by order by "on" desc, list_position($batches, batch) desc, row desc
    ) = 1
),
standings as (
    select
        subject,
        count(*) as n_reviews,
        count(*) filter (where agree) as n_reviews_agree,
        case
            when 2 * count(*) filter (where agree) = count(*) then 'split'
            when 2 * count(*) filter (where agree) > count(*) then 'agree'
            else 'disagree'
        end as says
    from counted
    group by subject
),
judged as (
    select
        l.version_key,
        l.eval,
        l.verdict,
        coalesce(l.na_reason = 'not_judgeable', false) as unjudged,
        s.says,
        coalesce(s.n_reviews, 0) as n_reviews,
        coalesce(s.n_reviews_agree, 0) as n_reviews_agree,
        coalesce(list_contains(e.pinned, l.output), false) as pinned
    from latest l
    left join standings s using (subject)
    left join evals e on e.spec = $spec and e.version_key = l.version_key and e.eval = l.eval
),
labels as (
    select version_key, eval, label as verdict, unjudged, says, n_reviews, n_reviews_agree, pinned,
        label = 'all' or label = j.verdict as fits
    from judged j
    cross join (values ('pass'), ('fail'), ('na'), ('all')) labels(label)
)
select
    version_key,
    eval,
    verdict,
    count(*) filter (where fits and not unjudged and not pinned and says in ('agree', 'disagree')) as n,
    count(*) filter (where fits and not unjudged and not pinned and says = 'agree') as n_agree,
    count(*) filter (where fits and not unjudged and not pinned and says = 'split') as n_split,
    count(*) filter (where fits and not unjudged and pinned and says is not null) as n_pinned,
    coalesce(sum(n_reviews) filter (where fits and not unjudged), 0)::bigint as n_reviews,
    coalesce(sum(n_reviews_agree) filter (where fits and not unjudged), 0)::bigint as n_reviews_agree,
    count(*) filter (where fits and not unjudged) as n_verdicts,
    count(*) filter (where unjudged) as n_unjudged,
    count(*) filter (where fits and not unjudged and says is not null) as n_reviewed
from labels
group by version_key, eval, verdict
order by version_key, eval, verdict
