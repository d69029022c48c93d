import type { AuditRowAnswer } from '../../../../web/answers.ts'
import { actingOf, personName } from '../../../../web/kit/in-words.tsx'
import { Page } from '../../../../web/kit/page.tsx'
import { Skeleton } from '../../../../web/kit/skeleton.tsx'
import { text, words } from '../../../../web/kit/text.tsx'
import { useSlow } from '../../../../web/kit/use-slow.ts'
import { isAbout, useLive } from '../../../../web/session/live.ts'
import { isNotThere, ProblemMessage } from '../../../../web/session/load.tsx'
import type { PageProps } from '../../../../web/session/page-routes.ts'
import { Actions } from './actions.tsx'
import { ImpersonationFacts } from './facts.tsx'
import { ReviewNote } from './review-note.tsx'
import { TimelineView } from './timeline-view.tsx'

const { impersonation: labels } = words.impersonations.audit

/** One impersonation: all facts, and everything that happened in it. The address is permanent. */
export function ImpersonationPage({ session, page, params }: PageProps) {
  const { id = '' } = params
  const row = useLive<AuditRowAnswer>(session, `/audit/${encodeURIComponent(id)}`, {
    concerns: isAbout(() => [id]),
  })
  const { value, error } = row
  const isSlow = useSlow(value === undefined && error === undefined)
  return (
    <Page
      title={value ? titleOf(value) : words.impersonations.audit.title}
      back={{ to: '/audit', label: labels.back }}
    >
      {isNotThere(error) ? (
        <p class="message refused" role="alert">
          {labels.missing}
        </p>
      ) : (
        error !== undefined && <ProblemMessage error={error} again={row.reload} />
      )}
      {isSlow && <Skeleton label={labels.loading} lines={8} />}
      {value && (
        <>
          <ReviewNote row={value} session={session} />
          <Actions session={session} row={value} onDone={row.reload} />
          <ImpersonationFacts row={value} session={session} />
          <TimelineView session={session} row={value} hash={page.hash} />
        </>
      )}
    </Page>
  )
}

function titleOf(row: AuditRowAnswer): string {
  if (row.outcome !== 'refused') return actingOf(row)
  return text(labels.titleRefused, {
    operator: personName(row.operator),
    customer: personName(row.customer),
  })
}
