import type { EndingAdapter } from '../adapters/contract.ts'
import type { SubjectTokenModel } from '../tokens/subject-token.ts'

/** How many impersonations are looked at. */
const RECORDS_READ = 100

/** The resources for which the last impersonations got opaque access tokens. */
export async function findOpaqueResources(
  subjectTokens: SubjectTokenModel,
  adapter: EndingAdapter,
): Promise<readonly string[]> {
  const records = await adapter.list({}, RECORDS_READ)
  const resources = records.flatMap((record) => {
    const note = subjectTokens.fromRecord(record)?.note
    return note?.format === 'opaque' ? [note.resource] : []
  })
  return [...new Set(resources)].sort()
}
