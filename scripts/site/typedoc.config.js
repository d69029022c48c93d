// The TypeDoc settings for the exports on the site. api.ts adds the entry points.
import { Converter, ReflectionKind } from 'typedoc'

const PACKAGE = 'oidc-provider-impersonation'

/** Removes content that the pages do not need. @param {import('typedoc').Application} app */
function trim(app) {
  app.converter.on(Converter.EVENT_RESOLVE_BEGIN, ({ project }) => {
    for (const member of project.getReflectionsByKind(ReflectionKind.All)) {
      // `on`, `once` and similar methods of oidc-provider's Provider. Another page describes the
      // events.
      const origin = member.inheritedFrom
      if (origin?.package && !origin.package.startsWith(PACKAGE)) project.removeReflection(member)
      // TypeDoc uses this name for a destructured parameter.
      if (member.name === '__namedParameters') member.name = 'options'
    }
  })
  app.converter.on(Converter.EVENT_RESOLVE_END, ({ project }) => {
    for (const member of project.getReflectionsByKind(ReflectionKind.All)) {
      delete member.inheritedFrom
      delete member.overwrites
      // A default export has no name of its own.
      for (const type of member.extendedTypes ?? []) {
        const origin = type.package?.replace('@types/', '')
        if (type.name === 'default') type.name = `Provider of ${origin}`
      }
    }
  })
}

/** What users import. @param {string} name of the module: its path from the root of the repository */
function specifierOf(name) {
  return name.replace(/^(?:packages\/([\w-]+)\/)?src/, (_, part) =>
    [PACKAGE, part].filter(Boolean).join('-'),
  )
}

export default {
  name: PACKAGE,
  plugin: ['typedoc-plugin-markdown', trim],
  tsconfig: 'tsconfig.json',
  basePath: '../..',
  logLevel: 'Warn',
  router: 'module',
  readme: 'none',
  // Paths and commits differ from machine to machine.
  disableSources: true,
  disableGit: true,
  excludeExternals: true,
  excludePrivate: true,
  excludeProtected: true,
  excludeInternal: true,
  // A `@defaultValue` may be text instead of code.
  jsDocCompatibility: { defaultTag: false },
  hideBreadcrumbs: true,
  hidePageHeader: true,
  pageTitleTemplates: {
    module: ({ name }) => `\`${specifierOf(name)}\``,
  },
  parametersFormat: 'table',
  typeDeclarationFormat: 'table',
  useCodeBlocks: true,
  expandObjects: true,
  expandParameters: true,
}
