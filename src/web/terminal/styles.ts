/**
 * The page's policy refuses <style> elements and style attributes, which xterm writes its rules and its colours into. Here what would be
 * one is a constructed style sheet, or goes through the element's own style: both are allowed, as neither can come from a text of a program's.
 */
export function letStylesPass(): void {
  const create = document.createElement.bind(document)
  document.createElement = (name: string, options?: ElementCreationOptions) =>
    name === 'style' ? standIn(create('i')) : create(name, options)
  const { setAttribute } = HTMLSpanElement.prototype
  HTMLSpanElement.prototype.setAttribute = function (name, value) {
    if (name === 'style') this.style.cssText = value
    else setAttribute.call(this, name, value)
  }
}

/** An element whose text is a style sheet of the document, for as long as it stands. */
function standIn(element: HTMLElement): HTMLElement {
  const sheet = adopt('')
  element.hidden = true
  let text = ''
  Object.defineProperty(element, 'textContent', {
    get: () => text,
    set: (rules: string) => {
      text = rules
      sheet.replaceSync(rules)
    },
  })
  element.remove = () => {
    document.adoptedStyleSheets = document.adoptedStyleSheets.filter((one) => one !== sheet)
    Element.prototype.remove.call(element)
  }
  return element
}

/** From now on these rules are the document's. */
export function adopt(rules: string): CSSStyleSheet {
  const sheet = new CSSStyleSheet()
  sheet.replaceSync(rules)
  document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet]
  return sheet
}
