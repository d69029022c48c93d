import { Link } from '../../../web/kit/router.tsx'
import { words } from '../../../web/kit/text.tsx'

const { permits: labels } = words

/** What is open, and what came of all others. */
export function ApprovalTabs({ current }: { current: 'history' | 'open' }) {
  return (
    <nav class="tabs" aria-label={labels.title}>
      <Link to="/approvals" current={current === 'open'}>
        {labels.openTab}
      </Link>
      <Link to="/approvals/history" current={current === 'history'}>
        {labels.history.title}
      </Link>
    </nav>
  )
}
