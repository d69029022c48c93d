import { SUPERVISING_ROLES } from '../../../kernel/roles.ts'
import { words } from '../../../web/kit/text.tsx'
import type { Route } from '../../../web/session/page-routes.ts'
import { RulesPage } from './rules-page.tsx'
import type { NeededPart } from './verdict.tsx'

/** @param Needed says which approval is missing, and who can give it */
export function rulePages(Needed: NeededPart): readonly Route[] {
  return [
    {
      path: '/rules',
      roles: SUPERVISING_ROLES,
      page: (props) => <RulesPage {...props} Needed={Needed} />,
      link: words.rules.title,
    },
  ]
}
