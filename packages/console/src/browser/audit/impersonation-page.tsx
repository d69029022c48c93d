import type { AuditRowAnswer } from '../../api/console/answers.ts'
import { Page, Skeleton } from '../kit/kit.tsx'
import { text, words } from '../kit/text.tsx'
import { useSlow } from '../kit/use-slow.ts'
import { Problem, useFollowed } from '../session/load.tsx'
import type { PageProps } from '../session/page-routes.ts'
import { ApiProblem } from '../session/session.ts'
import { Actions } from './actions.tsx'
import { Back } from './back.tsx'
import { Facts } from './facts.tsx'
import { actingOf, nameOf } from './in-words.tsx'
import { TimelineView } from './timeline-view.tsx'

const { impersonation: labels } = words.impersonations.audit

/** One impersonation: all facts, and everything that happened in it. The address is permanent. */
export function ImpersonationPage({ session, page, params }: PageProps) {
  const { id = '' } = params
  const row = useFollowed<AuditRowAnswer>(
    session,
    `/audit/${encodeURIComponent(id)}`,
    ({ ids }) => ids.length === 0 || ids.includes(id),
  )
  const { value, error } = row
  const isMissing = error instanceof ApiProblem && error.status === 404
  const isSlow = useSlow(value === undefined && error === undefined)
  return (
    <Page
      wide
      title={value ? titleOf(value) : words.impersonations.audit.title}
      above={
        <p class="back-line">
          <Back to="/audit">{labels.back}</Back>
        </p>
      }
    >
      {isMissing ? (
        <p class="message refused" role="alert">
          {labels.missing}
        </p>
      ) : (
        error !== undefined && <Problem error={error} again={row.reload} />
      )}
      {isSlow && <Skeleton label={labels.loading} lines={8} />}
      {value && (
        <>
          <Actions session={session} row={value} onDone={row.reload} />
          <Facts row={value} session={session} />
          <TimelineView session={session} row={value} hash={page.hash} />
        </>
      )}
    </Page>
  )
}

function titleOf(row: AuditRowAnswer): string {
  if (row.outcome !== 'refused') return actingOf(row)
  return text(labels.titleRefused, {
    operator: nameOf(row.operator),
    customer: nameOf(row.customer),
  })
}
