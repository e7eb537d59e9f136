"""A real browser without a window. Without one, the tests that need it are skipped with that reason."""

from __future__ import annotations

import json
import shutil

import pytest

_BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


@pytest.fixture(scope="session")
def chromium():
    """One browser for the whole test run."""
    webdriver = pytest.importorskip("selenium.webdriver", reason="selenium is not installed")
    browser = next(filter(None, map(shutil.which, _BROWSERS)), None)
    driver = shutil.which("chromedriver")
    if not browser or not driver:
        pytest.skip("there is no Chromium with its chromedriver on this machine")
    options = webdriver.ChromeOptions()
    options.binary_location = browser
    for argument in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"):
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    started = webdriver.Chrome(options=options, service=webdriver.ChromeService(driver))
    yield started
    started.quit()


class Tab:
    """A page in the browser, with what tests do and read there."""

    def __init__(self, chromium):
        self.chromium = chromium

    def open(self, file, width=1280, height=900, scheme="light", motion="no-preference"):
        size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 500}
        features = [
            {"name": "prefers-color-scheme", "value": scheme},
            {"name": "prefers-reduced-motion", "value": motion},
        ]
        self.chromium.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
        self.chromium.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})
        self.chromium.get(file.as_uri())
        return self

    def js(self, code, *args):
        return self.chromium.execute_script(code, *args)

    def find(self, selector):
        return self.chromium.find_element("css selector", selector)

    def all(self, selector):
        return self.chromium.find_elements("css selector", selector)

    def choose(self, selector, value):
        """Choose an item of a list, as a user of the page does."""
        from selenium.webdriver.support.select import Select

        Select(self.find(selector)).select_by_value(value)

    def texts(self, selector):
        return self.js("return [...document.querySelectorAll(arguments[0])].map(one => one.textContent)", selector)

    def wait(self, code):
        """Wait until a JavaScript expression is true."""
        from selenium.webdriver.support.wait import WebDriverWait

        return WebDriverWait(self.chromium, 20, poll_frequency=0.05).until(lambda _: self.js(f"return {code}"))

    def press(self, *keys):
        from selenium.webdriver.common.action_chains import ActionChains

        ActionChains(self.chromium).send_keys(*keys).perform()

    def console(self):
        """Return the console messages since the last call."""
        return self.chromium.get_log("browser")

    def requests(self):
        """Return the addresses that were loaded since the last call."""
        events = [json.loads(line["message"])["message"] for line in self.chromium.get_log("performance")]
        return [e["params"]["request"]["url"] for e in events if e["method"] == "Network.requestWillBeSent"]


@pytest.fixture
def tab(chromium):
    found = Tab(chromium)
    found.console(), found.requests()  # those of the previous test
    return found
