import type { NoticeMark } from 'oidc-provider-impersonation-verify/format'
import { type Outbox, startOutbox } from '../../../ledger/outbox/outbox.ts'
import type { Audit } from '../../../ledger/recording/audit.ts'
import { factsOfPermit, factsOfRows, type NoticeFacts } from './facts.ts'
import type { NoticeSettings } from './notice.ts'
import { type DecideOnPermit, permitNotices } from './permit-notices.ts'
import { rowNotices } from './row-notices.ts'
import { type NoticeParts, writeNotice } from './write-notice.ts'

interface NoticesParts extends Omit<NoticeParts, 'notices' | 'store'> {
  readonly audit: Audit
  readonly notices: NoticeSettings | undefined
  readonly decide: DecideOnPermit
}

/** Begins to tell customers, where the deployment wants it. */
export function startNotices({
  audit,
  decide,
  notices,
  ...parts
}: NoticesParts): Outbox | undefined {
  const { store } = audit
  if (!notices) return undefined
  const all = { ...parts, notices, store }
  const send = async (facts: NoticeFacts, signal: AbortSignal) => {
    const notice = await writeNotice(facts, all)
    if (!signal.aborted) await notices.send(notice, { signal })
  }
  return startOutbox({
    who: 'customers',
    atOnce: notices.atOnce,
    sources: [
      rowNotices(store, audit, (row, others, kinds, signal) =>
        send(factsOfRows(row, others, kinds), signal),
      ),
      permitNotices(store, decide, (permit, kind, signal) =>
        send(factsOfPermit(permit, kind), signal),
      ),
    ],
  })
}

/** What is to be told of each impersonation that starts. */
export function noticeMark({ when, digest }: NoticeSettings): NoticeMark | undefined {
  const kinds = when.filter((kind) => kind === 'started' || kind === 'ended')
  return kinds.length === 0 ? undefined : { when: kinds, digest }
}
