import { useState } from 'preact/hooks'
import type { CustomerAnswer, CustomerPageAnswer } from '../../../../web/answers.ts'
import { Button } from '../../../../web/kit/button.tsx'
import { words } from '../../../../web/kit/text.tsx'
import { Loaded, useLoad } from '../../../../web/session/load.tsx'
import { ApiProblem, type Session } from '../../../../web/session/session.ts'
import { CustomerTable } from './customer-table.tsx'
import { Recents } from './recents.ts'

/** The customers whom this person opened last in this browser. */
export function RecentCustomers({ session }: { session: Session }) {
  const [recents] = useState(() => new Recents(session.me.id))
  const [ids, setIds] = useState(recents.ids)
  const loading = useLoad((signal) => findNames(ids, session, recents, signal), [...ids])
  const { operators } = words.impersonations
  if (ids.length === 0) return <p class="empty">{operators.recentsNone}</p>
  return (
    <section class="recents" aria-labelledby="recents">
      <div class="section-head">
        <h2 id="recents">{operators.recents}</h2>
        <Button
          kind="quiet"
          onPress={() => {
            recents.clear()
            setIds([])
          }}
        >
          {operators.forget}
        </Button>
      </div>
      <Loaded of={loading} label={operators.recentsLoading} lines={ids.length}>
        {(customers) => <CustomerTable label={operators.recents} customers={customers} />}
      </Loaded>
    </section>
  )
}

/** Loads each; a customer who is gone is forgotten. */
async function findNames(
  ids: readonly string[],
  session: Session,
  recents: Recents,
  signal: AbortSignal,
): Promise<readonly CustomerAnswer[]> {
  const answers = ids.map(async (id) => {
    try {
      const path = `/customers/${encodeURIComponent(id)}`
      return (await session.ask<CustomerPageAnswer>(path, { signal })).customer
    } catch (error) {
      if (!(error instanceof ApiProblem) || error.status !== 404) throw error
      recents.remove(id)
      return undefined
    }
  })
  return (await Promise.all(answers)).filter((customer) => customer !== undefined)
}
