from treville.histories.formats import compact
from treville.results import Source
def read_history(text, name):
    return compact.read(Source(name, text))
