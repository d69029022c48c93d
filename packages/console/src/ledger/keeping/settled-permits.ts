import { pages } from '../../kernel/pages.ts'
import type { AuditStore, FiledPermit } from '../store.ts'

/** How many permits are read at once. */
const FILED_PER_READ = 200

/** Each permit as it is at one moment: with the entries that it is the sum of. */
export async function* settledPermits(
  store: Pick<AuditStore, 'filedPermits'>,
): AsyncGenerator<readonly FiledPermit[]> {
  const read = (before: string | undefined) => store.filedPermits({ before, limit: FILED_PER_READ })
  for await (const { permits } of pages(read)) yield permits
}
