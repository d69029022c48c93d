import type { ComponentType } from 'preact'
import type { RowAnswer } from '../../web/answers.ts'
import { type At, counted, text } from '../../web/kit/at.ts'
import type { View } from '../../web/pages/table.ts'
import type { Deciders } from '../../web/record-answer.ts'
import type { RecordPageAnswer } from '../api/record.ts'
import { RecordCard, recordTitle } from './record-card.tsx'

/** One record, with everything that was done under it. @param Rows shows impersonations */
export function recordPage(
  Rows: ComponentType<{ rows: readonly RowAnswer[] }>,
): View<RecordPageAnswer> {
  return ({ record, deciders, impersonations }, at) => {
    const { records, web } = at.words
    const [need] = record.needs ?? []
    return {
      title: recordTitle(at, record),
      ids: [record, ...impersonations].map(({ id }) => id),
      back: { to: '', label: web.toStart },
      body: (
        <>
          <RecordCard isWhole of={record}>
            {record.state === 'requested' && need && (
              <p>
                {records.needs[record.needs?.length === 1 ? need : 'both']}{' '}
                {deciders && decidersText(at, deciders)}
              </p>
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

/** Says who can decide. */
export function decidersText(at: At, { names, others, isLeads }: Deciders): string {
  const { ask } = at.words.permits
  if (isLeads) return ask.leads
  if (names.length === 0) return ask.nobody
  const slots = { names: new Intl.ListFormat(at.locale).format(names) }
  return others > 0 ? counted(at, ask.peopleAndMore, others, slots) : text(at, ask.people, slots)
}
