import type { CustomerAnswer } from '../../../../web/answers.ts'

/** How many details are shown: the directory is asked for no more than that. */
const MAX_DETAILS_SHOWN = 4

/** What helps to tell customers apart, as the directory of the deployment names it. */
export function Details({ of }: { of: CustomerAnswer }) {
  const details = Object.entries(of.details ?? {}).slice(0, MAX_DETAILS_SHOWN)
  if (details.length === 0) return null
  return (
    <dl class="details">
      {details.map(([label, value]) => (
        <div key={label}>
          <dt>
            <bdi>{label}</bdi>
          </dt>
          <dd>
            <bdi>{value}</bdi>
          </dd>
        </div>
      ))}
    </dl>
  )
}
