import type { NoticeMark } from 'oidc-provider-impersonation-verify/format'
import type { Audit } from '../audit/recording/audit.ts'
import type { Decisions } from '../permits/decisions.ts'
import type { Settings } from '../settings.ts'
import { factsOfPermit, factsOfRow } from './facts.ts'
import { type Outbox, startOutbox } from './outbox.ts'
import { permitNotices } from './permit-notices.ts'
import { rowNotices } from './row-notices.ts'
import { type NoticeParts, writeNotice } from './write-notice.ts'

interface Parts extends Omit<NoticeParts, 'store'> {
  readonly audit: Audit
  readonly decide: Decisions
}

/** Begins to tell customers, where the deployment wants it. */
export function startNotices({ audit, decide, ...parts }: Parts): Outbox | undefined {
  const { notices } = parts.settings
  const { store } = audit
  if (!notices) return undefined
  const all = { ...parts, store }
  return startOutbox({
    send: notices.send,
    atOnce: notices.atOnce,
    sources: [
      rowNotices(store, audit, (row, kinds) => writeNotice(factsOfRow(row, kinds), all)),
      permitNotices(store, decide, (permit, kind) => writeNotice(factsOfPermit(permit, kind), all)),
    ],
  })
}

/** What is to be told of each impersonation that starts. */
export function noticeMark({
  when,
  digest,
}: NonNullable<Settings['notices']>): NoticeMark | undefined {
  const kinds = when.filter((kind) => kind === 'started' || kind === 'ended')
  return kinds.length === 0 ? undefined : { when: kinds, digest }
}
