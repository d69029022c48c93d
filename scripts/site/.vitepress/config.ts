import { defineConfig } from 'vitepress'
import { withMermaid } from 'vitepress-plugin-mermaid'
import manifest from '../../../package.json' with { type: 'json' }
import { PLACEHOLDER } from '../../check-release.ts'
import { anchorOf } from '../../markdown-links.ts'
import { sidebar } from '../sidebar.ts'

// The pages are those that scripts/docs-site.ts has laid out. Every link is checked by the build.
/**
 * Links have the anchors of GitHub, and VitePress rewrites an anchor in a link. This is what it makes
 * of GitHub's anchor.
 */
function slugify(heading: string): string {
  const anchor = anchorOf(heading).replaceAll(/[_-]+/g, '-')
  return anchor.replaceAll(/^-|-$/g, '').replace(/^(?=\d)/, '_')
}

export default withMermaid(
  defineConfig({
    title: 'oidc-provider-impersonation',
    description: 'Log in as the customer, for oidc-provider.',
    srcDir: 'pages',
    outDir: 'dist',
    cleanUrls: true,
    markdown: { anchor: { slugify } },
    ignoreDeadLinks: 'localhostLinks',
    // The target of the tsconfig is newer than the esbuild of VitePress.
    vite: { esbuild: { tsconfigRaw: '{}' } },
    themeConfig: {
      nav: [{ text: manifest.version, link: '/changes' }],
      search: {
        provider: 'local',
        // The exports of the packages would hide the guides.
        options: {
          _render: (text, env, md) =>
            env.relativePath.startsWith('api/') ? '' : md.render(text, env),
        },
      },
      socialLinks: manifest.homepage.startsWith(PLACEHOLDER)
        ? []
        : [{ icon: 'github', link: manifest.homepage }],
      sidebar: sidebar(),
      outline: [2, 3],
      docFooter: { prev: false },
    },
  }),
)
