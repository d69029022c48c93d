import { OwnRecords } from '../../../records/views/own-records.tsx'
import type { AccountImpersonation } from '../../../web/account-card.ts'
import type { At } from '../../../web/kit/at.ts'
import { NotShown } from '../../../web/kit/frame.tsx'
import { Older } from '../../../web/kit/link.tsx'
import type { View } from '../../../web/pages/table.ts'
import type { AccountPageAnswer } from '../server/lists.ts'
import { ImpersonationCard } from './impersonation-card.tsx'

export const accountPage: View<AccountPageAnswer, At> = (
  { running, records, past },
  { words: { account } },
) => {
  const runs = new Set(running?.map(({ id }) => id))
  const over = past?.impersonations.filter(({ id }) => !runs.has(id)) ?? []
  return {
    title: account.title,
    about: account.about,
    body: (
      <>
        <section class="part" aria-labelledby="now" data-about="*">
          <h2 id="now">{account.now}</h2>
          {running === null && <NotShown />}
          {running?.length === 0 && <p class="empty">{account.notNow}</p>}
          <Cards of={running ?? []} />
        </section>
        {records === null ? <NotShown /> : <OwnRecords of={records} />}
        <section class="part" aria-labelledby="before">
          <h2 id="before">{account.before}</h2>
          {past === null && <NotShown />}
          {past && over.length === 0 && (
            <p class="empty">{runs.size > 0 ? account.neverBefore : account.never}</p>
          )}
          <Cards of={over} />
          <Older to="" next={past?.next} label={account.older} />
        </section>
      </>
    ),
  }
}

function Cards({ of }: { of: readonly AccountImpersonation[] }) {
  if (of.length === 0) return null
  return (
    <ul class="cards">
      {of.map((impersonation) => (
        <li key={impersonation.id} id={impersonation.id}>
          <ImpersonationCard of={impersonation} />
        </li>
      ))}
    </ul>
  )
}
