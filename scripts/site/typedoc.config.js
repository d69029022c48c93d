// The TypeDoc settings for the exports on the site.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Converter, ReflectionKind } from 'typedoc'

const NAME = 'oidc-provider-impersonation'
const ROOT = join(import.meta.dirname, '../..')
/** Semantic versioning does not cover it. */
const NOT_PUBLIC = './siblings'

const PACKAGES = ['.', ...readManifest('.').workspaces]

function readManifest(folder) {
  return JSON.parse(readFileSync(join(ROOT, folder, 'package.json'), 'utf8'))
}

/** Import specifiers by source file. */
const specifiers = new Map(PACKAGES.flatMap(modulesOf))

function modulesOf(folder) {
  const { name, exports } = readManifest(folder)
  return Object.keys(exports).flatMap((path) => {
    const source = exports[path][NAME]
    return source && path !== NOT_PUBLIC ? [[join(folder, source), name + path.slice(1)]] : []
  })
}

/** Names modules as users import them. @param {import('typedoc').Application} app */
function trim({ converter }) {
  converter.on(Converter.EVENT_RESOLVE_BEGIN, ({ project }) => {
    for (const [source, specifier] of specifiers) {
      const module = project.getChildByName([source.replace(/(\/index)?\.ts$/, '')])
      if (module) module.name = specifier
    }
    for (const member of project.getReflectionsByKind(ReflectionKind.All)) {
      // TypeDoc uses this name for a destructured parameter.
      if (member.name === '__namedParameters') member.name = 'options'
      // The methods of oidc-provider's Provider, such as `on`.
      const origin = member.inheritedFrom?.package
      if (origin && !origin.startsWith(NAME)) project.removeReflection(member)
    }
  })
}

export default {
  name: 'API',
  entryPoints: [...specifiers.keys()].map((source) => join(ROOT, source)),
  plugin: ['typedoc-plugin-markdown', trim],
  tsconfig: join(import.meta.dirname, 'tsconfig.json'),
  basePath: ROOT,
  out: join(import.meta.dirname, 'pages/api'),
  entryFileName: 'index',
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
  pageTitleTemplates: { module: '`{name}`' },
  parametersFormat: 'table',
  typeDeclarationFormat: 'table',
  useCodeBlocks: true,
}
