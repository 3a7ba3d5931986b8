// Search without a server. A browser starts no Worker for a page that was opened from the disk; the
// theme's search runs in one. Here a hidden frame does its work: same messages, same thread.
if (location.protocol === "file:") {
  // The search script looks for this name to know that it runs in a frame.
  window.IFrameWorker = class extends EventTarget {
    constructor(url) {
      super();
      this.onmessage = null;
      this.frame = document.createElement("iframe");
      this.frame.hidden = true;
      // What the search script calls: answers go to the page, languages are scripts of the frame.
      window.__workerScope = (scope) => {
        scope.postMessage = (data) => this.receive(data);
        scope.importScripts = (...urls) =>
          urls.reduce((before, each) => before.then(() => this.load(each)), Promise.resolve());
      };
      this.ready = new Promise((resolve) => {
        this.start = () => {
          const scope = this.frame.contentWindow.document;
          scope.open();
          scope.write(
            `<script>parent.__workerScope(window)</` + `script><script src="${url}"></` + `script>`
          );
          scope.close();
          this.frame.contentWindow.addEventListener("load", resolve, { once: true });
        };
      });
      document.body.appendChild(this.frame);
      this.start();
    }

    load(url) {
      return new Promise((resolve, reject) => {
        const script = this.frame.contentWindow.document.createElement("script");
        script.src = url;
        script.onload = resolve;
        script.onerror = reject;
        this.frame.contentWindow.document.body.appendChild(script);
      });
    }

    postMessage(data) {
      this.ready.then(() => {
        const scope = this.frame.contentWindow;
        scope.dispatchEvent(new scope.MessageEvent("message", { data }));
      });
    }

    receive(data) {
      const event = new MessageEvent("message", { data });
      this.dispatchEvent(event);
      if (this.onmessage) this.onmessage(event);
    }

    terminate() {
      this.frame.remove();
    }
  };
  window.Worker = window.IFrameWorker;
}
