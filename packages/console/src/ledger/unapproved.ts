import { type Unapproved, unapprovedBy } from 'oidc-provider-impersonation-verify/format'
import { readable } from './readable.ts'
import type { AuditStore, FoundRow, Sum } from './store.ts'

/** A store whose rows say how nobody approved them. */
export function withUnapproved(store: AuditStore): AuditStore {
  async function marked(rows: readonly FoundRow[]): Promise<readonly FoundRow[]> {
    const ids = new Set(rows.flatMap(({ permit = [] }) => permit))
    const sums = ids.size === 0 ? undefined : await store.sums([...ids])
    if (!sums) return rows
    const markOf = ({ permit = [] }: FoundRow): Unapproved => {
      const marks = [permit].flat().map((id) => unapprovedIn(sums.get(id)))
      return marks.find(({ unapproved }) => unapproved) ?? {}
    }
    return rows.map((row) => ({ ...row, ...markOf(row) }))
  }

  const { find, row } = store
  return Object.assign(Object.create(store), {
    async find(...given: Parameters<AuditStore['find']>) {
      const page = await find(...given)
      return { ...page, rows: await marked(page.rows) }
    },
    async row(id: string) {
      const found = await row(id)
      return found && (await marked([found]))[0]
    },
  } satisfies Partial<AuditStore>)
}

function unapprovedIn(sum: Sum | 'unreadable' | undefined): Unapproved {
  if (sum === undefined || sum === 'unreadable' || sum.kind !== 'record') return {}
  const record = readable(sum.permit)
  return record ? unapprovedBy(record) : {}
}
