import type { ComponentType } from 'preact'
import { Page } from '../../../web/kit/page.tsx'
import { Link } from '../../../web/kit/router.tsx'
import { words } from '../../../web/kit/text.tsx'
import { useWaiting } from '../../../web/session/counts.ts'
import type { PageProps } from '../../../web/session/page-routes.ts'
import type { Session } from '../../../web/session/session.ts'
import { LastDays } from './last-days.tsx'

type Part = ComponentType<{ session: Session }>

/** What the page shows of other features. */
export interface OverviewParts {
  readonly Running: Part
  /** What waits for the reader, the most important first. Each shows nothing where nothing does. */
  readonly waiting: readonly Part[]
}

const { overview } = words

/** Where leads and auditors begin: what waits for them, who acts now, and the last days. */
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
      <section>
        <h2>{overview.lastDays}</h2>
        <p class="note">
          {overview.lastDaysAbout} <Link to="/audit">{overview.toAudit}</Link>
        </p>
        <LastDays session={session} />
      </section>
    </Page>
  )
}
