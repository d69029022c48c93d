import { counted, text } from '../../../web/kit/at.ts'
import { Link } from '../../../web/kit/link.tsx'
import { auditListPath, pathWith } from '../../../web/kit/paths.ts'
import { Text } from '../../../web/kit/text.tsx'
import { Time } from '../../../web/kit/time.tsx'
import type { View } from '../../../web/pages/table.ts'
import type { AuditAnswer } from '../server/audit.ts'
import { Filters } from './filters.tsx'
import { ImpersonationRows } from './rows.tsx'

/** A reader past the first page looks for something: few clicks are better than small answers. */
const OLDER_ROWS = 200
/** Comes before every id, so a row of the same millisecond as an empty answer is newer. */
const NO_ID = '-'.repeat(43)

/** The audit by impersonation; for operators, what they did. */
export const auditPage: View<AuditAnswer> = (answer, at) => {
  const { base, me, words, zone } = at
  const { filter, isDays, rows, next, before, lookedTo, now } = answer
  const { audit } = words.impersonations
  const isOwn = me.role === 'operator'
  const [title, about] = !isOwn
    ? [audit.title, audit.about]
    : filter.customer === undefined
      ? [audit.titleOwn, audit.aboutOwn]
      : [audit.titleCustomer, audit.aboutCustomer]
  const isFiltered = auditListPath(filter) !== '/audit'
  const isAll = next === undefined && before === undefined && !isFiltered
  const { count, more } = answer.newer ?? { count: 0, more: false }
  const many = count === 0 ? audit.newerPerhaps : text(at, audit.newerMany, { count })
  const [first = { at: now, id: NO_ID }] = rows
  const place = { first: `${first.at}.${first.id}`, when: isDays ? 'days' : undefined }
  // Older rows stay as they are. On the first page, newer ones wait.
  const again = before === undefined ? base + auditListPath(filter, place) : undefined
  return {
    title,
    about,
    body: (
      <>
        <Filters of={answer} />
        <div class="list-head" data-about="*">
          <p class="shown-count" role="status">
            {counted(at, isAll ? audit.shownAll : audit.shown, rows.length)}
          </p>
          {/* New rows announce themselves here, and wait for a click. Nothing moves: the place is always there. */}
          <div class="newer" role="status">
            {(count > 0 || more) && (
              <>
                <span>{more ? many : counted(at, audit.newer, count)}</span>
                <Link class="button" to={auditListPath(filter)}>
                  {audit.showNewer}
                </Link>
              </>
            )}
          </div>
          {!isOwn && (
            <details class="exports">
              <summary>{audit.export.title}</summary>
              <div class="card exports-body">
                <p>{audit.export.about}</p>
                <div class="actions">
                  <Link class="button" to={pathWith('/audit/export.csv', filter)} download>
                    {audit.export.csvLabel}
                  </Link>
                  <Link class="button" to="/audit/entries.jsonl" download>
                    {audit.export.all}
                  </Link>
                </div>
              </div>
            </details>
          )}
        </div>
        <div class="list" data-again={again}>
          {rows.length > 0 ? (
            <ImpersonationRows rows={rows} />
          ) : (
            <p class="empty">
              {lookedTo !== undefined
                ? audit.nothingYet
                : isFiltered
                  ? audit.nothing
                  : isOwn
                    ? audit.emptyOwn
                    : audit.empty}
            </p>
          )}
          {lookedTo !== undefined && (
            <p class="note">
              <Text of={audit.lookedTo} time={<Time at={lookedTo} />} />
            </p>
          )}
          {next !== undefined && (
            <Link class="button" to={auditListPath(filter, { before: next, limit: OLDER_ROWS })}>
              {lookedTo === undefined ? audit.older : audit.lookFurther}
            </Link>
          )}
          {rows.length > 0 && (
            <p class="note">
              <Text of={audit.zone} zone={zone} />
            </p>
          )}
        </div>
      </>
    ),
  }
}
