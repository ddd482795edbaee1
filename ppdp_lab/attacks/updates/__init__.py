"""How values change between releases: what an adversary may know of it, and what streams and publishers go by."""

from ppdp_lab.attacks.updates.learning import learned
from ppdp_lab.attacks.updates.model import UPDATE_MODELS, UpdateModel
from ppdp_lab.attacks.updates.reading import model_from_toml

__all__ = ["UPDATE_MODELS", "UpdateModel", "learned", "model_from_toml"]
