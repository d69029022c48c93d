import type { ComponentType } from 'preact'
import type { RowAnswer } from '../../web/answers.ts'
import type { View } from '../../web/pages/table.ts'
import type { RecordPageAnswer } from '../api/record.ts'
import { neededText } from './approval-part.tsx'
import { RecordCard, recordTitle } from './record-card.tsx'

/** One record, with everything that was done under it. @param Rows shows impersonations */
export function recordPage(
  Rows: ComponentType<{ rows: readonly RowAnswer[] }>,
): View<RecordPageAnswer> {
  return ({ record, deciders, impersonations }, at) => {
    const { records, web } = at.words
    return {
      title: recordTitle(at, record),
      ids: [record, ...impersonations].map(({ id }) => id),
      back: { to: '', label: web.toStart },
      body: (
        <>
          <RecordCard isWhole of={record}>
            {record.state === 'requested' && (
              <p>{neededText(at, { by: record.needs, deciders })}</p>
            )}
          </RecordCard>
          {impersonations.length > 0 && (
            <section>
              <h2>{records.under}</h2>
              <Rows rows={impersonations} />
            </section>
          )}
        </>
      ),
    }
  }
}
