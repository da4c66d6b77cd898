// Tabs as WAI-ARIA describes them: one stop for the Tab key, arrows move among them.

const VIEWS = ["overview", "tests", "functions", "coverage", "source", "corpus", "events"];

class Tabs {
  constructor(chosen) {
    this.chosen = chosen;
    byId("tabs").addEventListener("click", (event) => {
      const tab = event.target.closest("[role=tab]");
      if (tab) this.choose(tab.id.slice("tab-".length));
    });
    byId("tabs").addEventListener("keydown", (event) => this.#key(event));
  }

  /** Show a view, and tell of it. */
  choose(view) {
    this.show(view);
    this.chosen(view);
  }

  show(view) {
    this.view = view;
    for (const each of VIEWS) {
      const tab = byId(`tab-${each}`);
      tab.setAttribute("aria-selected", String(each === view));
      tab.tabIndex = each === view ? 0 : -1;
      byId(`panel-${each}`).hidden = each !== view;
    }
  }

  /** Views that can't be shown here are not offered. */
  offer(views) {
    for (const each of VIEWS) byId(`tab-${each}`).hidden = !views.includes(each);
    if (!views.includes(this.view)) this.choose(views[0]);
  }

  #key(event) {
    const offered = VIEWS.filter((each) => !byId(`tab-${each}`).hidden);
    const at = offered.indexOf(this.view);
    const to = {
      ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: offered.length - 1,
    }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    const view = offered[(to + offered.length) % offered.length];
    this.choose(view);
    byId(`tab-${view}`).focus();
  }
}
