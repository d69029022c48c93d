import type { ComponentType } from 'preact'
import { Page } from '../../../web/kit/page.tsx'
import { words } from '../../../web/kit/text.tsx'
import { useWaiting } from '../../../web/session/counts.ts'
import type { PageProps } from '../../../web/session/page-routes.ts'
import type { Session } from '../../../web/session/session.ts'
import { ThisMonth } from './this-month.tsx'

type Part = ComponentType<{ session: Session }>

/** What the page shows of other features. */
export interface OverviewParts {
  readonly Running: Part
  /** What waits for the reader, the most important first. Each shows nothing where nothing does. */
  readonly waiting: readonly Part[]
}

const { overview } = words

/** Where leads and auditors begin: what waits for them, who acts now, and this month. */
export function OverviewPage({ session, parts }: PageProps & { parts: OverviewParts }) {
  const { Running, waiting } = parts
  const count = useWaiting(session)
  return (
    <Page title={overview.title}>
      <section>
        <h2>{overview.waiting}</h2>
        {count === 0 && <p class="soft">{overview.nothingWaits}</p>}
        <div class="waiting-parts">
          {waiting.map((Waiting, index) => (
            <Waiting key={index} session={session} />
          ))}
        </div>
      </section>
      <Running session={session} />
      <ThisMonth session={session} />
    </Page>
  )
}
