import type { VNode } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { Button } from '../../../web/kit/button.tsx'
import { say } from '../../../web/kit/message.tsx'
import { Page } from '../../../web/kit/page.tsx'
import { language, Text, text, words } from '../../../web/kit/text.tsx'
import { Time } from '../../../web/kit/time.tsx'
import type { AccountPause, AccountPausesAnswer } from '../../../web/pause-answers.ts'
import type { CustomerSession } from '../../../web/session/customer-session.ts'
import { type Following, keepUp, useLive } from '../../../web/session/live.ts'
import { Loaded, type Loading, useLoad } from '../../../web/session/load.tsx'
import { inWords } from '../../../web/session/problem.ts'
import type {
  AccountAnswer,
  AccountEndBody,
  AccountImpersonation,
  AccountRunningAnswer,
} from '../server/answers.ts'
import { operatorNameOf } from './card-words.ts'
import { ImpersonationCard } from './impersonation-card.tsx'
import { ObjectionDialog } from './objection-dialog.tsx'

/** When the page looks what runs, and what is asked and paused. */
const LOOKING: Following<undefined> = { every: 15_000, whileSeen: true }

const QUERY = new URLSearchParams({ language })

/** What permits show on the page. */
export interface PermitSection<T> {
  use(session: CustomerSession, following: Following<undefined>): Loading<T>
  readonly Show: (props: {
    session: CustomerSession
    of: Loading<T>
    onDone: () => Promise<void>
  }) => VNode
}

export function AccountPage<T>(props: { session: CustomerSession; permitPart: PermitSection<T> }) {
  const { session, permitPart } = props
  const running = useLive<AccountRunningAnswer, undefined>(session, `/running?${QUERY}`, LOOKING)
  const paused = useLive<AccountPausesAnswer, undefined>(session, '/pauses', LOOKING)
  const permits = permitPart.use(session, LOOKING)
  const newest = useLoad<AccountAnswer>(
    (signal) => session.ask(`/impersonations?${QUERY}`, { signal }),
    [],
  )
  const older = useOlder(session, newest.value?.next)
  const [objecting, setObjecting] = useState<AccountImpersonation>()
  const look = async () => {
    older.forget()
    await Promise.all([running, newest, paused, permits].map((each) => each.reload()))
  }
  useEffect(
    () =>
      keepUp(session, () => {
        older.forget()
        return newest.reload()
      }),
    [session],
  )
  // One that is over goes to the others.
  const runningIds = running.value?.impersonations.map(({ id }) => id).join(' ')
  const [seen, setSeen] = useState(runningIds)
  useEffect(() => {
    if (seen !== undefined && seen !== runningIds) void newest.reload()
    setSeen(runningIds)
  }, [runningIds])

  const end = async (impersonation: AccountImpersonation) => {
    try {
      const body: AccountEndBody = { id: impersonation.id }
      await session.post('/end', body, impersonation.id)
      say('done', text(words.account.endDone, { who: operatorNameOf(impersonation) }))
    } catch (error) {
      const again = { label: words.web.tryAgain, run: () => end(impersonation) }
      say('trouble', inWords(error), again)
    }
    await look()
  }
  const cards = (impersonations: readonly AccountImpersonation[]) => (
    <ul class="cards">
      {impersonations.map((impersonation) => (
        <li key={impersonation.id}>
          <ImpersonationCard
            of={impersonation}
            onEnd={() => end(impersonation)}
            onObject={() => setObjecting(impersonation)}
          />
        </li>
      ))}
    </ul>
  )
  const runs = new Set(running.value?.impersonations.map(({ id }) => id))
  return (
    <Page title={words.account.title} about={words.account.about}>
      <section class="part" aria-labelledby="now">
        <h2 id="now">{words.account.now}</h2>
        <Loaded of={running} label={words.web.loading}>
          {({ impersonations }) =>
            impersonations.length === 0 ? (
              <p class="empty">{words.account.notNow}</p>
            ) : (
              cards(impersonations)
            )
          }
        </Loaded>
        {paused.value?.pauses.map((pause) => (
          <PausedCard key={pause.id} of={pause} />
        ))}
      </section>
      <permitPart.Show session={session} of={permits} onDone={look} />
      <section class="part" aria-labelledby="before">
        <h2 id="before">{words.account.before}</h2>
        <Loaded of={newest} label={words.web.loading}>
          {({ impersonations }) => {
            const past = [...impersonations, ...older.shown].filter(({ id }) => !runs.has(id))
            return past.length === 0 && older.next === undefined ? (
              <p class="empty">{runs.size > 0 ? words.account.neverBefore : words.account.never}</p>
            ) : (
              cards(past)
            )
          }}
        </Loaded>
        {older.next !== undefined && <Button onPress={older.show}>{words.account.older}</Button>}
      </section>
      {objecting && (
        <ObjectionDialog
          of={objecting}
          session={session}
          onClose={() => setObjecting(undefined)}
          onDone={look}
        />
      )}
    </Page>
  )
}

/** Who may not act as the customer, and why. */
function PausedCard({ of: { operator, at } }: { of: AccountPause }) {
  const { account } = words
  const who = <bdi class="person">{operator.name ?? operator.id}</bdi>
  return (
    <article class="card">
      <h3>
        <Text of={account.paused} who={who} />
      </h3>
      <p>
        <Text of={account.pausedAbout} who={who} at={<Time at={at} />} />
      </p>
    </article>
  )
}

/** The pages after the first one. */
function useOlder(session: CustomerSession, first: string | undefined) {
  const [older, setOlder] = useState<{ shown: readonly AccountImpersonation[]; next?: string }>()
  const next = older ? older.next : first
  return {
    shown: older?.shown ?? [],
    next,
    forget: () => setOlder(undefined),
    async show() {
      try {
        const { impersonations, next: after } = await session.ask<AccountAnswer>(
          `/impersonations?${QUERY}&${new URLSearchParams({ before: next ?? '' })}`,
        )
        const shown = [...(older?.shown ?? []), ...impersonations]
        setOlder(after === undefined ? { shown } : { shown, next: after })
      } catch (error) {
        say('trouble', inWords(error))
      }
    },
  }
}
