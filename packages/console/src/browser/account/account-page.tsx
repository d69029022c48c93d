import { useEffect, useState } from 'preact/hooks'
import type { AccountImpersonation } from '../../api/account/answers.ts'
import type { AccountPause } from '../../api/pauses/answers.ts'
import { Button, Page, Time } from '../kit/kit.tsx'
import { clearMessage, say } from '../kit/message.tsx'
import { Text, text, words } from '../kit/text.tsx'
import { Loaded, useLoad } from '../session/load.tsx'
import { inWords } from '../session/problem.ts'
import { AccountPermits, usePermits } from './account-permits.tsx'
import { nameOf } from './card-words.ts'
import { ImpersonationCard } from './impersonation-card.tsx'
import { ObjectionDialog } from './objection-dialog.tsx'
import type { AccountSession } from './session.ts'

/** How often the page looks whether something runs, in milliseconds. */
const LOOK_EVERY_MS = 15_000

export function AccountPage({ session }: { session: AccountSession }) {
  const running = useLoad((signal) => session.running(signal), [])
  const paused = useLoad((signal) => session.pauses(signal), [])
  const permits = usePermits(session)
  const newest = useLoad((signal) => session.past(undefined, signal), [])
  const older = useOlder(session, newest.value?.next)
  const [objecting, setObjecting] = useState<AccountImpersonation>()
  const look = async () => {
    older.forget()
    await Promise.all([running, newest, paused, permits].map((each) => each.reload()))
  }
  useRegularly(() => Promise.all([running, paused, permits].map((each) => each.reload())))
  useEffect(() => session.onChange(() => void look()))
  // One that is over goes to the others.
  const runningIds = running.value?.impersonations.map(({ id }) => id).join(' ')
  const [seen, setSeen] = useState(runningIds)
  useEffect(() => {
    if (seen !== undefined && seen !== runningIds) void newest.reload()
    setSeen(runningIds)
  }, [runningIds])

  const end = async (impersonation: AccountImpersonation) => {
    try {
      await session.end(impersonation.id)
      say('done', text(words.account.endDone, { who: nameOf(impersonation) }))
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
        <div class="section-head">
          <h2 id="now">{words.account.now}</h2>
          <Button
            onPress={() => {
              clearMessage()
              return look()
            }}
          >
            {words.account.lookAgain}
          </Button>
        </div>
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
      <AccountPermits session={session} of={permits} onDone={look} />
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
function useOlder(session: AccountSession, first: string | undefined) {
  const [older, setOlder] = useState<{ shown: readonly AccountImpersonation[]; next?: string }>()
  const next = older ? older.next : first
  return {
    shown: older?.shown ?? [],
    next,
    forget: () => setOlder(undefined),
    async show() {
      try {
        const { impersonations, next: after } = await session.past(next)
        const shown = [...(older?.shown ?? []), ...impersonations]
        setOlder(after === undefined ? { shown } : { shown, next: after })
      } catch (error) {
        say('trouble', inWords(error))
      }
    },
  }
}

/** Calls it while the page is seen, and when it is seen again. */
function useRegularly(work: () => unknown): void {
  useEffect(() => {
    const look = () => {
      if (document.visibilityState === 'visible') work()
    }
    const timer = setInterval(look, LOOK_EVERY_MS)
    document.addEventListener('visibilitychange', look)
    return () => {
      clearInterval(timer)
      document.removeEventListener('visibilitychange', look)
    }
  })
}
