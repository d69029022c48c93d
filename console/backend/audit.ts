import type { Audit } from '../audit/audit.ts'
import { isAuditEvent } from '../audit/entry.ts'
import { type AuditFilter, matcher, neededFor, search } from '../audit/search.ts'
import type { StoredEntry } from '../audit/store.ts'
import { Problem } from '../http/problem.ts'
import type { AuditAnswer, PlacedEntry } from './answers.ts'
import { parseId, parseLimit, parseQuery, parseText, type Query } from './query.ts'

/** What `GET /support/audit` answers. */
export async function searchAudit({ store }: Audit, querystring: string): Promise<AuditAnswer> {
  const known = ['subject', 'actor', 'event', 'text', 'before', 'limit']
  const query = parseQuery(querystring, ...known)
  const filter = parseFilter(query)
  const { entries, next } = await search(store, matcher(filter), {
    needed: neededFor(filter),
    before: query.get('before'),
    limit: parseLimit(query),
  })
  return { entries: entries.map(placed), next }
}

export function placed({ cursor, entry }: StoredEntry): PlacedEntry {
  return { cursor, ...entry }
}

function parseFilter(query: Query): AuditFilter {
  const event = query.get('event') || undefined
  if (event !== undefined && !isAuditEvent(event)) {
    throw new Problem(400, 'invalid_request', 'event is none of those that there are')
  }
  return {
    subject: parseId(query, 'subject'),
    actor: parseId(query, 'actor'),
    text: parseText(query, 'text'),
    event,
  }
}
