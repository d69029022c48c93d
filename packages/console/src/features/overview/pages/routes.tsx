import { SUPERVISING_ROLES } from '../../../kernel/roles.ts'
import { words } from '../../../web/kit/text.tsx'
import type { Route } from '../../../web/session/page-routes.ts'
import { OverviewPage, type OverviewParts } from './overview-page.tsx'

export function overviewPages(parts: OverviewParts): readonly Route[] {
  return [
    {
      path: '/',
      roles: SUPERVISING_ROLES,
      page: (props) => <OverviewPage {...props} parts={parts} />,
      link: words.overview.title,
    },
  ]
}
