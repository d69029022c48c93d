import type { FiledPermit, PermitStore } from '../permit-store.ts'

/** How many permits are read at once. */
const PERMITS_PER_READ = 200

/** Each permit as it is at one moment: with the entries that it is the sum of. */
export async function* settledPermits(
  store: Pick<PermitStore, 'filedPermits'>,
): AsyncGenerator<readonly FiledPermit[]> {
  for (let before: string | undefined; ; ) {
    const { permits, next } = await store.filedPermits({ before, limit: PERMITS_PER_READ })
    yield permits
    if (next === undefined) return
    before = next
  }
}
