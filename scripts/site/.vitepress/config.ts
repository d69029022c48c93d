import { defineConfig } from 'vitepress'
import { withMermaid } from 'vitepress-plugin-mermaid'
import { sidebar } from '../sidebar.ts'

// The pages are those that scripts/docs-site.ts has laid out. Every link is checked by the build.
export default withMermaid(
  defineConfig({
    title: 'oidc-provider-impersonation',
    description: 'Log in as the customer, for oidc-provider.',
    srcDir: 'pages',
    outDir: 'dist',
    cleanUrls: true,
    ignoreDeadLinks: 'localhostLinks',
    // The target of the tsconfig is newer than the esbuild of VitePress.
    vite: { esbuild: { tsconfigRaw: '{}' } },
    themeConfig: {
      search: { provider: 'local' },
      sidebar: sidebar(),
      outline: [2, 3],
      docFooter: { prev: false, next: false },
    },
  }),
)
