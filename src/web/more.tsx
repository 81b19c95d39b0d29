import { Title } from './parts/basics.tsx'
import { Icon } from './parts/icon.tsx'
import { hrefOf } from './route.ts'
import { shownViews } from './views.ts'
import { words } from './words.ts'

/** The views that do not fit in the navigation bar of a phone. */
export const More = () => (
  <>
    <Title>{words.views.more}</Title>
    <ul class="rows">
      {shownViews()
        .filter(({ isInBar }) => !isInBar)
        .map(({ name, icon }) => (
          <li key={name}>
            <a class="row" data-row href={hrefOf(name)}>
              <Icon name={icon} />
              <span class="grow">{words.views[name]}</span>
              <Icon name="right" />
            </a>
          </li>
        ))}
    </ul>
  </>
)
