import type { RowFilter } from '../../../../ledger/filters.ts'
import { Button } from '../../../../web/kit/button.tsx'
import { dateOf } from '../../../../web/kit/dates.ts'
import { words } from '../../../../web/kit/text.tsx'
import type { Session } from '../../../../web/session/session.ts'
import { Exporting, useExport } from '../../../../web/session/use-export.tsx'
import { parametersOf } from './filter.ts'

const { export: labels } = words.impersonations.audit

/** Saves what the filter shows, or everything, as a file. */
export function Exports({ session, filter }: { session: Session; filter: RowFilter }) {
  const { going, save, cancel } = useExport(session)
  const query = parametersOf(filter)
  const parameters = query.size === 0 ? '' : `?${query}`
  const today = dateOf(Date.now() + session.clockOffset)
  return (
    <details class="exports">
      <summary>{labels.title}</summary>
      <div class="exports-body">
        <p>{labels.about}</p>
        <div class="actions">
          <Button
            label={labels.csvLabel}
            onPress={() =>
              save({
                path: `/audit/export.csv${parameters}`,
                name: `impersonations-${today}.csv`,
                type: 'text/csv',
              })
            }
          >
            {labels.csv}
          </Button>
          <Button
            onPress={() =>
              save({
                path: '/audit/entries.jsonl',
                name: `audit-entries-${today}.jsonl`,
                type: 'application/jsonl',
                hasLastLine: true,
              })
            }
          >
            {labels.all}
          </Button>
        </div>
        <Exporting going={going} cancel={cancel} />
      </div>
    </details>
  )
}
