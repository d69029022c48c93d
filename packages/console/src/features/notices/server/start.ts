import type { NoticeKind, ToTell } from 'oidc-provider-impersonation-verify/format'
import { type Outbox, startOutbox } from '../../../ledger/outbox/outbox.ts'
import type { Ledger } from '../../../ledger/recording/ledger.ts'
import type { NoticeSettings } from './notice.ts'
import { permitsToTell, type Tell, ticketsToTell } from './sources.ts'
import { type NoticeParts, writeNotice } from './write-notice.ts'

interface NoticesParts extends Omit<NoticeParts, 'notices' | 'store'> {
  readonly ledger: Ledger
  readonly notices: NoticeSettings | undefined
  /** Whether the deployment is to be told where a customer cannot be. */
  readonly alerts: boolean
}

/** Begins to tell customers, where the deployment wants it. */
export function startNotices({
  ledger,
  alerts,
  notices,
  ...parts
}: NoticesParts): Outbox | undefined {
  const { store } = ledger
  if (!notices) return undefined
  const send: Tell = async (id, told, signal) => {
    const notice = await writeNotice(id, told, { ...parts, notices, store })
    if (!signal.aborted) await notices.send(notice, { signal })
  }
  return startOutbox({
    ...{ ledger, alerts, to: 'customer', who: 'customers', atOnce: notices.atOnce },
    sources: [ticketsToTell(store, send), permitsToTell(store, send)],
  })
}

/** What is to be told of each impersonation that starts. */
export function toldOfStarts(
  when: readonly NoticeKind[],
  digest: number,
): readonly ToTell[] | undefined {
  const kinds = when.filter((kind) => kind === 'started' || kind === 'ended')
  if (kinds.length === 0) return undefined
  return kinds.map((kind) => ({ to: 'customer', kind, after: digest }))
}
